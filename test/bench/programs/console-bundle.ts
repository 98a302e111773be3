import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeConsoleModules } from '../../support/packages/bundle-console.ts';
import type { Report } from '../results.ts';

export const name = 'modules and styles of the console, by part';

/** Bytes of a part in all files, as they are and compressed, and compressed in those that a page loads first. */
interface Share {
  readonly raw: number;
  readonly gzip: number;
  readonly first: number;
}
const nothing: Share = { raw: 0, gzip: 0, first: 0 };

/**
 * Measures the parts of the bundle as esbuild counts them. A file is compressed as a whole: each part of it has the share of
 * that which it has of the file.
 */
export async function run(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'horarium-bench-'));
  try {
    const { outputs, first } = await writeConsoleModules(folder);
    const parts = new Map<string, Share>();
    const add = (part: string, { raw, gzip, first }: Share) => {
      const before = parts.get(part) ?? nothing;
      parts.set(part, { raw: before.raw + raw, gzip: before.gzip + gzip, first: before.first + first });
    };
    for (const [file, { inputs }] of outputs) {
      const content = await readFile(join(folder, file));
      const isFirst = first.includes(file) || 'plugins/console/web/words/en.ts' in inputs;
      const ratio = gzipSync(content, { level: 9 }).length / content.length;
      const addShare = (part: string, raw: number) =>
        add(part, { raw, gzip: raw * ratio, first: isFirst ? raw * ratio : 0 });
      const sources = Object.entries(inputs);
      for (const [source, { bytesInOutput }] of sources) addShare(partOf(source), bytesInOutput);
      const own = sources.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
      addShare('imports and exports between files', content.length - own);
    }
    const all = [...parts.values()].reduce((sum, { raw, gzip, first }) => ({
      raw: sum.raw + raw,
      gzip: sum.gzip + gzip,
      first: sum.first + first,
    }));
    report.figure('all files', all.raw / 1000, 'kB');
    report.figure('   gzip', all.gzip / 1000, 'kB');
    report.figure('   of it before the first screen, in English', all.first / 1000, 'kB', { max: 80 });
    const largestFirst = [...parts].sort(([, one], [, other]) => other.raw - one.raw);
    for (const [part, { raw, gzip, first: ofFirst }] of largestFirst) {
      report.figure(part, raw / 1000, 'kB');
      report.figure('   gzip', gzip / 1000, 'kB');
      if (ofFirst > 0) report.figure('   of it before the first screen', ofFirst / 1000, 'kB');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The package or the room that a source file is in; each language is a part. */
function partOf(source: string): string {
  const [, installed] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
  if (installed !== undefined) return installed;
  const [room = '', file = ''] = source.replace('plugins/console/web/', '').split('/');
  return /^words\/\w{2}(?:-model)?\.ts$/.test(`${room}/${file}`) ? `words, ${file.slice(0, 2)}` : room;
}
