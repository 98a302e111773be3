import type { AuditArchive } from '@horarium/core';
import { HorariumError } from '@horarium/core';

/** Keeps the segments of an archive of the audit log in memory. @param segments the lines of each, by its name. */
export function memoryArchive(segments: Map<string, string[]> = new Map()): AuditArchive {
  return {
    place: 'the archive',
    list: async () => [...segments.keys()].sort(),
    async *read(name) {
      const lines = segments.get(name);
      if (!lines) throw new HorariumError('unavailable', `There is no segment ${name}.`);
      yield* lines;
    },
    async create(name) {
      const written: string[] = [];
      return {
        write: async (lines) => void written.push(...lines),
        async complete() {
          if (segments.has(name)) throw new HorariumError('conflict', `There is a segment ${name}.`);
          segments.set(name, written);
        },
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  };
}
