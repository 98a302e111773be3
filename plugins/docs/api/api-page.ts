import type { OpenApiDocument } from '@horarium/core/plugin';
import { curl } from './curl.ts';
import { firstSteps } from './first-steps.ts';
import { operationView } from './operation-view.ts';
import { type ApiResponse, operationsOf } from './operations.ts';
import { readableJson } from './readable-json.ts';
import { apiStyle } from './style.ts';
import { renderPage } from './templates.ts';

/**
 * Renders the documentation of the API as one page, which shows no data of the service.
 * @param serviceUrl has the origin of the examples where the document names only a base path.
 */
export function apiPage(document: OpenApiDocument, serviceUrl: string): string {
  const { info, tags, servers } = document;
  const baseUrl = servers[0]?.url ?? '';
  const operations = operationsOf(document);
  return renderPage({
    ...info,
    style: apiStyle.style,
    links: { json: `${baseUrl}/openapi.json`, yaml: `${baseUrl}/openapi.yaml`, index: `${baseUrl}/index.html` },
    address: URL.parse(baseUrl, serviceUrl || undefined)?.href ?? baseUrl,
    steps: firstSteps.map(({ text, ...request }) => ({
      text: parseInline(text),
      command: curl({ ...request, base: '$HORARIUM' }),
    })),
    conventions: info.description.split('\n\n').map(parseInline),
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

/** Splits inline Markdown into parts: `**strong**`, `code` in backticks, and plain text. */
function parseInline(sentence: string) {
  return sentence.split(/(\*\*.+?\*\*|`.+?`)/).map((part) => {
    if (part.startsWith('**')) return { kind: 'strong', text: part.slice(2, -2) };
    return part.startsWith('`') ? { kind: 'code', text: part.slice(1, -1) } : { kind: 'plain', text: part };
  });
}

/** The problem responses of the document, each with its status, code, title and example. */
function errorsOf({ components }: OpenApiDocument) {
  const responses = Object.values(components['responses'] ?? {}) as ApiResponse[];
  return responses.map(({ description, content = {} }) => {
    const [example] = Object.values(content).map((each) => each.example);
    const { status, code, title } = example as { status: number; code: string; title: string };
    return { status, code, title, description, example: readableJson(example) };
  });
}
