import type { PluginTemplate } from './plugin-template.ts';

/** A kind of event sources whose events are the lines of a file. */
export const eventSourceTemplate: PluginTemplate = {
  summary: (name) => `Reads the lines of a text file as events, of sources of the kind ${name}.`,

  plugin: (name) => `import { open } from 'node:fs/promises';
import { defineEventSourceKind, definePlugin, text } from '@horarium/core/plugin';

/** The most bytes of one read, and so of a line. */
const maxBytes = 1024 * 1024;

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
          // The cursor is the number of bytes that were read: another host may go on from it.
          async read(after, limit) {
            const start = Number(after ?? 0);
            const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes), position: start });
            const changes = [];
            let at = 0;
            // A line without its end is left for a later read.
            for (let end = buffer.indexOf('\\n'); end >= 0 && end < bytesRead && changes.length < limit; ) {
              const position = String(start + at);
              // What the selectors of a rule can read: {"LINE": "line"}.
              const payload = { line: buffer.toString('utf8', at, end) };
              changes.push({ key: position, evidence: 'line', operation: 'create', recordId: position, payload });
              at = end + 1;
              end = buffer.indexOf('\\n', at);
            }
            return { changes, cursor: String(start + at) };
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

  fixtures: (name) => `import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
          // Options of a source with events, of ones that cannot be read, and of ones that make the kind wait.
          readable: { path },
          unreadable: [{ path: join(folder, 'missing.txt') }],
          unresponsive: [],
          // Read and add events of the readable source, without the kind.
          events: async () => (await readFile(path, 'utf8')).split('\\n').filter(Boolean),
          addEvent: () => appendFile(path, 'another\\n'),
          // Counts what the kind holds open.
          connections: () => 0,
          close: () => rm(folder, { recursive: true }),
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
