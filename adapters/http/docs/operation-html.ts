import { curl } from './curl.ts';
import {
  type Described,
  type DescribedAnswer,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedSchema,
  resolved,
} from './described.ts';
import { type Html, html, type Piece } from './html.ts';
import { readableJson } from './readable-json.ts';
import { typeWords } from './type-words.ts';

/** One operation: folded to a line, and all there is to know inside. */
export function operationHtml(document: Described, operation: DescribedOperation): Html {
  const { method, path, summary, operationId: id } = operation;
  const [json] = Object.values(operation.requestBody?.content ?? {});
  return html`<details class="operation">
<summary><span class="method ${method}">${method}</span> <span class="path">${path}</span> <span class="purpose">${summary}</span></summary>
<div class="inside" id="${id}">
${authentication(operation)}
<h4>Example</h4>
<pre><code>${curl(exampleOf(operation, json?.example))}</code></pre>
${parametersHtml(operation.parameters ?? [])}
${json && [html`<h4>Body</h4>`, fieldsHtml(document, json.schema)]}
<h4>Answers</h4>
${answersHtml(operation)}
</div></details>
`;
}

function authentication({ security, description }: DescribedOperation): Html {
  const how = security === undefined ? 'With a bearer token or HTTP Basic.' : security.length > 0 && 'With HTTP Basic.';
  return html`<p class="soft">${description} ${how}</p>`;
}

function exampleOf({ method, path, parameters = [], security, outside }: DescribedOperation, body: unknown) {
  const value = (name: string) => parameters.find((each) => each.in === 'path' && each.name === name)?.example;
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => String(value(name)));
  const signIn = security === undefined ? 'token' : security.length > 0 ? 'basic' : 'none';
  const base = outside ? '${HORARIUM%/api/v1}' : '$HORARIUM';
  return { method, path: filled, signIn, base, ...(body === undefined ? {} : { body }) } as const;
}

const places = { path: 'in the path', query: 'after the ?', header: 'as a header' } as const;

function parametersHtml(parameters: readonly DescribedParameter[]): Piece {
  if (parameters.length === 0) return null;
  const rows = parameters.map(
    ({ name, in: place, description, schema }) =>
      html`<tr><td><code>${name}</code><span class="soft">${places[place]}</span></td><td>${description}<span class="soft">${typeWords(schema)}${initial(schema)}</span></td></tr>`,
  );
  return html`<h4>Parameters</h4><table>${rows}</table>`;
}

/** The fields of a body that callers may set. */
function fieldsHtml(document: Described, schema: DescribedSchema): Html {
  const {
    properties = {},
    description,
    required = [],
  } = resolved(document, schema) as {
    properties?: Readonly<Record<string, DescribedSchema>>;
    description?: string;
    required?: readonly string[];
  };
  const rows = Object.entries(properties)
    .filter(([, field]) => field['readOnly'] !== true)
    .map(
      ([name, field]) =>
        html`<tr><td><code>${name}</code>${required.includes(name) && html`<span class="soft">required</span>`}</td><td>${field['description'] as string | undefined}<span class="soft">${typeWords(field)}${initial(field)}</span></td></tr>`,
    );
  return html`${description && html`<p>${description}</p>`}<details><summary>${rows.length} fields</summary><table>${rows}</table></details>`;
}

function initial(schema: DescribedSchema): string {
  const { default: value } = schema;
  return value === undefined ? '' : `; ${typeof value === 'string' ? value : JSON.stringify(value)} when left out`;
}

function answersHtml({ responses }: DescribedOperation): Html {
  const given = Object.entries(responses).filter(([, answer]) => !('$ref' in answer)) as [string, DescribedAnswer][];
  const refused = Object.entries(responses).filter(([, answer]) => '$ref' in answer);
  const rows = given.map(
    ([status, answer]) =>
      html`<tr><td><strong>${status}</strong></td><td>${answer.description}${headersHtml(answer)}${sampleHtml(answer)}</td></tr>`,
  );
  const links = refused.map(([status]) => html` <a href="#error-${status}">${status}</a>`);
  return html`<table>${rows}</table><p class="soft">Errors:${links}</p>`;
}

function headersHtml({ headers = {} }: DescribedAnswer): Piece {
  const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  return names.length > 0 && html`<span class="soft">With ${names.join(', ')}.</span>`;
}

function sampleHtml({ content = {} }: DescribedAnswer): Piece {
  return Object.entries(content)
    .filter(([mime], at) => at === 0 || mime.startsWith('text/event'))
    .map(([mime, { example }]) => {
      const text = typeof example === 'string' ? example : readableJson(example);
      return html`<details><summary>Example, ${mime}</summary><pre><code>${text}</code></pre></details>`;
    });
}
