import { hash } from 'node:crypto';
import type { OpenApiDocument } from '@horarium/core/plugin';
import { curl } from './curl.ts';
import { firstSteps } from './first-steps.ts';
import { operationView } from './operation-view.ts';
import { type ApiResponse, operationsOf } from './operations.ts';
import { readableJson } from './readable-json.ts';
import { style } from './style.ts';
import { renderPage } from './templates.ts';

/** The page needs its own stylesheet and nothing else: no script, no image, nothing from elsewhere. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The documentation of the API as one page without data of the service.
 * @param serviceUrl the address that examples use where the document names none.
 */
export function docsPage(document: OpenApiDocument, serviceUrl: string): string {
  const { info, tags, servers } = document;
  const root = servers[0]?.url ?? '';
  const operations = operationsOf(document);
  return renderPage({
    ...info,
    style,
    links: { json: `${root}/openapi.json`, yaml: `${root}/openapi.yaml`, index: `${root}/index.html` },
    address: root.startsWith('http') ? root : `${serviceUrl}${root}`,
    steps: firstSteps.map(({ text, ...request }) => ({
      text: marked(text),
      command: curl({ ...request, base: '$HORARIUM' }),
    })),
    conventions: info.description.split('\n\n').map(marked),
    chapters: tags.map(({ name, description }) => ({
      name,
      description,
      operations: operations
        .filter((operation) => operation.tags[0] === name)
        .map((operation) => operationView(document, operation)),
    })),
    errors: errorsOf(document),
  });
}

/** A sentence cut into parts: `**` marks what is strong and backticks what is code. */
function marked(sentence: string) {
  return sentence.split(/(\*\*.+?\*\*|`.+?`)/).map((part) => {
    if (part.startsWith('**')) return { kind: 'strong', text: part.slice(2, -2) };
    return part.startsWith('`') ? { kind: 'code', text: part.slice(1, -1) } : { kind: 'plain', text: part };
  });
}

function errorsOf({ components }: OpenApiDocument) {
  const responses = Object.values(components['responses'] ?? {}) as ApiResponse[];
  return responses.map(({ description, content = {} }) => {
    const [example] = Object.values(content).map((each) => each.example);
    const { status, code, title } = example as { status: number; code: string; title: string };
    return { status, code, title, description, example: readableJson(example) };
  });
}
