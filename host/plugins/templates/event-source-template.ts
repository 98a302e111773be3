import type { PluginTemplate } from './plugin-template.ts';

/** A kind of event sources whose events are the lines of a file. */
export const eventSourceTemplate: PluginTemplate = {
  summary: (name) => `Reads the lines of a text file as events, of sources of the kind ${name}.`,

  plugin: (name) => `import { open } from 'node:fs/promises';
import { defineEventSourceKind, definePlugin, text } from '@horarium/core/plugin';

/** Reads the lines after that many. */
async function readLines(file, after, limit, signal) {
  const lines = [];
  let number = 0;
  for await (const line of file.readLines({ start: 0, autoClose: false, signal }))
    if (++number > after && lines.push({ number, line }) === limit) break;
  return lines;
}

export default definePlugin({
  name: '${name}',
  api: 1,
  eventSourceKinds: () => [
    defineEventSourceKind({
      name: '${name}',
      options: { path: text(4096, { description: 'The file, to which lines are only added.' }).required() },
      async open({ path }) {
        const file = await open(path);
        return {
          // The cursor is the number of the last line that was read: another host may go on from it.
          async read(after, limit, signal) {
            const lines = await readLines(file, Number(after ?? 0), limit, signal);
            return {
              changes: lines.map(({ number, line }) => ({
                key: String(number),
                evidence: 'line',
                operation: 'create',
                recordId: String(number),
                // What the selectors of a rule can read: {"LINE": "line"}.
                payload: { number, line },
              })),
              cursor: String(lines.at(-1)?.number ?? after ?? 0),
            };
          },
          close: () => file.close().catch(() => undefined),
        };
      },
      async probe({ path }) {
        await (await open(path)).close();
      },
    }),
  ],
});
`,

  fixtures: (name) => `import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineFixtures } from '@horarium/core/contracts';

export default defineFixtures({
  eventSourceKinds: {
    '${name}': {
      async sources() {
        const folder = await mkdtemp(join(tmpdir(), '${name}-'));
        const path = join(folder, 'lines.txt');
        await writeFile(path, 'first\\nsecond\\n');
        return {
          readable: { path },
          unreadable: [{ path: join(folder, 'missing.txt') }],
          unresponsive: [],
          events: async () => (await readFile(path, 'utf8')).split('\\n').filter(Boolean),
          addEvent: () => appendFile(path, 'another\\n'),
          connections: () => 0,
        };
      },
    },
  },
});
`,

  use: (name) => [
    `npx horarium eventsource:save --name lines --kind ${name} --set 'options={"path": "/tmp/lines.txt"}'`,
    'npx horarium eventsource:test 1',
  ],
};
