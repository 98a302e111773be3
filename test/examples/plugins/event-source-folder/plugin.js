import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineEventSourceKind, definePlugin, text } from '@horarium/core/plugin';

/** A file is read when it has not changed for so many milliseconds: a later one might otherwise get an earlier position. */
const settled = 50;

/** Reports each file that is added to a folder or changed in it, in the order of their times. */
export default definePlugin({
  name: 'event-source-folder',
  api: 1,
  eventSourceKinds: () => [
    defineEventSourceKind({
      name: 'folder',
      options: { path: text(4096, { description: 'The folder to watch.' }).required() },
      async open({ path }) {
        let isClosed = false;
        return {
          async read(after, limit, signal) {
            if (isClosed) throw new Error('the source is closed');
            const files = await filesAfter(path, after ?? '', signal);
            const changes = files.slice(0, limit);
            return { changes: changes.map(changeOf), cursor: changes.at(-1)?.position ?? after };
          },
          async close() {
            isClosed = true;
          },
        };
      },
      async probe({ path }) {
        await (await opendir(path)).close();
      },
    }),
  ],
});

/**
 * Lists the files after a position, in order. A position is the time of the last change, which programs cannot set, and the name.
 * @param {string} path
 * @param {string} after
 * @param {AbortSignal} signal
 */
async function filesAfter(path, after, signal) {
  const files = [];
  for await (const entry of await opendir(path)) {
    signal.throwIfAborted();
    const { ctimeMs, ctimeNs, birthtimeNs, size } = await stat(join(path, entry.name), { bigint: true });
    const position = `${String(ctimeNs).padStart(20, '0')} ${entry.name}`;
    const operation = ctimeNs - birthtimeNs < 1_000_000n ? 'create' : 'update';
    if (entry.isFile() && position > after && Number(ctimeMs) < Date.now() - settled)
      files.push({ position, name: entry.name, path: join(path, entry.name), size: Number(size), operation });
  }
  return files.sort((a, b) => (a.position < b.position ? -1 : 1));
}

/** @param {Awaited<ReturnType<typeof filesAfter>>[number]} file */
function changeOf({ position: key, name, path, size, operation }) {
  return { key, evidence: 'file', operation, recordId: name, payload: { name, path, size } };
}
