import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineFixtures } from '@horarium/core/contracts';

export default defineFixtures({
  eventSourceKinds: {
    folder: {
      async sources() {
        const path = await mkdtemp(join(tmpdir(), 'event-source-folder-'));
        let count = 0;
        const addEvent = () => writeFile(join(path, `${++count}.txt`), 'content');
        await addEvent();
        await addEvent();
        await new Promise((resolve) => setTimeout(resolve, 100));
        return {
          readable: { path },
          unreadable: [{ path: join(path, 'missing') }, { path: join(path, '1.txt') }],
          unresponsive: [],
          events: () => readdir(path),
          addEvent,
          connections: () => 0,
          close: () => rm(path, { recursive: true }),
        };
      },
    },
  },
});
