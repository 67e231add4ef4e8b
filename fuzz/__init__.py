"""Long searches for templates that render wrongly."""
