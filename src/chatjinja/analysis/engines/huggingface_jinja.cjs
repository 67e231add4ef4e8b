// One JSON object a line in, one a line out: {"id": …, "source": …} compiles a template, {"id": …, "context": …}
// renders it, {"id": …} forgets it.
"use strict";
const { createRequire } = require("node:module");
const path = require("node:path");
const readline = require("node:readline");

const { Template } = createRequire(path.join(process.cwd(), "package.json"))("@huggingface/jinja");
const answer = (data) => process.stdout.write(JSON.stringify(data) + "\n");
const templates = new Map();

function compiled(source) {
  try {
    return { template: new Template(source) };
  } catch (error) {
    return { error: String(error.message) };
  }
}

function rendered({ template, error }, context) {
  if (error !== undefined) return { error };
  try {
    return { text: template.render(context) };
  } catch (failure) {
    return { error: String(failure.message) };
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, source, context } = JSON.parse(line);
  if (source !== undefined) {
    templates.set(id, compiled(source));
    answer({});
  } else if (context !== undefined) {
    answer(rendered(templates.get(id), context));
  } else {
    templates.delete(id);
    answer({});
  }
});
