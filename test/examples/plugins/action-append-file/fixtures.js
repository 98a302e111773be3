import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineFixtures } from '@horarium/core/contracts';

const folder = mkdtempSync(join(tmpdir(), 'action-append-file-'));
mkdirSync(join(folder, 'a-folder'));
process.once('exit', () => rmSync(folder, { recursive: true }));

export default defineFixtures({
  options: { folder },
  actions: {
    'append-file': () => ({
      reachable: { file: 'notices.jsonl' },
      unreachable: [{ file: 'a-folder' }],
      unresponsive: [],
      secrets: [],
      arrived() {
        try {
          return readFileSync(join(folder, 'notices.jsonl'), 'utf8').split('\n').length - 1;
        } catch {
          return 0;
        }
      },
      connections: () => 0,
    }),
  },
});
