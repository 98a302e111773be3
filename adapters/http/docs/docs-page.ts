import { hash } from 'node:crypto';
import type { OpenApiDocument } from '@horarium/core';
import { curl } from './curl.ts';
import { type Described, type DescribedAnswer, type DescribedOperation, operationsOf } from './described.ts';
import { firstSteps } from './first-steps.ts';
import { type Html, html, marked } from './html.ts';
import { operationHtml } from './operation-html.ts';
import { readableJson } from './readable-json.ts';
import { style } from './style.ts';

/** The page needs its own style and nothing else: no script, no picture, nothing from elsewhere. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The whole documentation of the API as one page that holds no data of the service. */
export function docsPage(document: OpenApiDocument): string {
  const described = document as unknown as Described;
  const { info, tags } = described;
  const operations = operationsOf(described);
  const of = (chapter: string) => operations.filter((operation) => operation.tags[0] === chapter);
  const root = described.servers[0]?.url ?? '';
  const inside = (path: string) => html`<a href="${root}${path}"><code>${root}${path}</code></a>`;
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${info.title} API</title>
<style>${rawStyle}</style></head>
<body>
<nav><strong>${info.title}</strong>
<h2><a href="#first-steps">First steps</a></h2><h2><a href="#conventions">Conventions</a></h2>
${tags.map(({ name }) => html`<h2><a href="#chapter-${name}">${name}</a></h2><ul>${of(name).map(entry)}</ul>`)}
<h2><a href="#errors">Errors</a></h2></nav>
<main>
<h1>${info.title} <small>${info.version}</small></h1>
<p>${info.summary}</p>
<p class="soft">The same for programs: ${inside('/openapi.json')} and ${inside('/openapi.yaml')}. What there is, as pages: ${inside('/index.html')}. All of them ask who you are.</p>
<h2 id="first-steps">First steps</h2>
${stepsHtml(described)}
<h2 id="conventions">Conventions</h2>
${info.description.split('\n\n').map((text) => html`<p>${marked(text)}</p>`)}
${tags.map(
  ({ name, description }) => html`<h2 id="chapter-${name}">${name}</h2><p class="soft">${description}</p>
${of(name).map((operation) => operationHtml(described, operation))}`,
)}
<h2 id="errors">Errors</h2>
${errorsHtml(described)}
</main>
</body></html>
`;
  return page.text;
}

const rawStyle = html([style] as unknown as TemplateStringsArray);

function entry({ method, path, summary, operationId: id }: DescribedOperation): Html {
  return html`<li><a href="#${id}" title="${summary}"><span class="method ${method}">${method}</span><span>${short(path)}</span></a></li>`;
}

/** Where there is one line for it: without the suffix, and every id is just an id. */
function short(path: string): string {
  return path.replace('.{suffix}', '').replaceAll(/\{\w+\}/g, '{id}');
}

function stepsHtml({ servers }: Described): Html {
  const [server] = servers;
  const address = server?.url.startsWith('http') ? server.url : `http://localhost:8080${server?.url ?? ''}`;
  const steps = firstSteps.map(
    ({ words, ...request }) =>
      html`<li>${marked(words)}<pre><code>${curl({ ...request, base: '$HORARIUM' })}</code></pre></li>`,
  );
  return html`<p>The examples on this page take the address of the service from a variable:</p>
<pre><code>HORARIUM=${address}</code></pre><ol>${steps}</ol>`;
}

function errorsHtml({ components }: Described): Html {
  const answers = Object.values(components['responses'] ?? {}) as DescribedAnswer[];
  const rows = answers.map((answer) => {
    const [example] = Object.values(answer.content ?? {}).map((each) => each.example);
    const { status, code, title } = example as { status: number; code: string; title: string };
    return html`<tr id="error-${status}"><td><strong>${status}</strong> ${title}<span class="soft"><code>${code}</code></span></td>
<td>${answer.description}<details><summary>Example</summary><pre><code>${readableJson(example)}</code></pre></details></td></tr>`;
  });
  return html`<table>${rows}</table>`;
}
