import type { Format } from '@horarium/core/plugin';

/** JSON without white space, as machines like it. */
export const formatJson: Format = {
  suffix: 'json',
  mime: 'application/json; charset=utf-8',
  problemMime: 'application/problem+json; charset=utf-8',
  write: (value) => `${JSON.stringify(value)}\n`,
  writeList: array,
};

/** One array: a row a line, so that what is read by the line can begin before all is there. */
async function* array(pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string> {
  let before = '[';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n');
    before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}
