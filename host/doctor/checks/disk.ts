import { stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { yieldToEventLoop } from '@horarium/core';
import type { Config } from '../../config/settings.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

/** Checks the space in the folders that the service writes to; those on one file system share a finding. */
export async function checkDisk(installation: Installation): Promise<Finding[]> {
  const { config } = await installation.settings();
  const byDevice = new Map<number, string[]>();
  for (const folder of new Set(writtenFolders(config, installation.io.folder))) {
    await yieldToEventLoop();
    const { path, device } = await existing(folder);
    const paths = byDevice.get(device) ?? [];
    byDevice.set(device, paths.includes(path) ? paths : [...paths, path]);
  }
  return Promise.all([...byDevice.values()].map(spaceOf));
}

/** Returns the folders of the database file, of the jobs' files and of the archived audit log. */
function writtenFolders({ database_url, plugin_options, audit_archive }: Config, folder: string): string[] {
  const { file } = database_url;
  const ofJobs = ['executor-native', 'executor-container'].map((plugin) => {
    const options = plugin_options[plugin] as { readonly folder?: unknown } | undefined;
    return typeof options?.folder === 'string' ? options.folder : tmpdir();
  });
  return [...(file === undefined ? [] : [dirname(file)]), ...ofJobs, audit_archive].map((path) =>
    resolve(folder, path),
  );
}

/** Returns the folder, or the nearest one above it where it would be created. */
async function existing(path: string): Promise<{ readonly path: string; readonly device: number }> {
  try {
    return { path, device: (await stat(path)).dev };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return existing(dirname(path));
  }
}

async function spaceOf(paths: readonly string[]): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(paths[0] as string);
  return judgeSpace(paths.join(', '), bavail * bsize, blocks * bsize);
}

/**
 * Judges the space on a file system. The limits are shares, so that a small one for temporary files need not have a gigabyte
 * free, up to a size that is enough on the largest: 1 GiB, and 100 MiB, which ten jobs with the output that each may have fill.
 * @param free what is left for users other than root, in bytes, as is `total`.
 */
export function judgeSpace(name: string, free: number, total: number): Finding {
  const found = `${name}: ${sizeText(free)} of ${sizeText(total)} free`;
  const advice = 'Make room, or let the service keep less: horarium help retention';
  if (free < Math.min(total * 0.01, 100 * mebibyte)) return fail(found, advice);
  if (free < Math.min(total * 0.1, gibibyte)) return warn(found, advice);
  return ok(found);
}

function sizeText(bytes: number): string {
  const [size, unit] = bytes < gibibyte ? [mebibyte, 'MiB'] : [gibibyte, 'GiB'];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
