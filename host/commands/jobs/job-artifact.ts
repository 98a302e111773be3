import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { badRequest, conflict, HorariumError, type StoredArtifact } from '@horarium/core';
import { DraftFile } from '@horarium/core/node';
import type { Command } from 'commander';
import { readIdArgument } from '../../cli/arguments.ts';
import { addStoreOptions, type Cli } from '../../cli/command-session.ts';
import type { Io } from '../../cli/io.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';

/** Adds `job:artifact ID`, which saves a file that a job left. */
export function addArtifactCommand(program: Command, cli: Cli): void {
  const { io } = cli;
  const command = addStoreOptions(program.command('job:artifact'))
    .description('Save a file that a job left. A file that exists is not replaced.')
    .argument('<id>', 'id of the artifact; job:get lists those of a job', readIdArgument)
    .argument('[file]', 'the file; its own name in this folder if it is left out; - is standard output');
  command.action(async (id: number, file: string | undefined) => {
    if (file === '-' && io.screen)
      throw badRequest('Standard output is a terminal: name a file, or send the artifact to another program or file.');
    await using session = await cli.open(command);
    const artifact = await session.core.artifact(session.actor, id);
    if (file === '-') {
      for await (const piece of artifact.content) await io.out(piece);
      return;
    }
    const { size, filename } = artifact.row;
    const name = file ?? basename(filename);
    await save(io, name, artifact);
    await io.err(`Artifact ${id} is saved as ${escapeControls(name)}: ${size} bytes.\n`);
  });
}

/**
 * Writes the content to a new file, which has its name only once it is whole.
 * @throws HorariumError `conflict` where a file has that name, or the content is not what the job left; `unavailable` when it
 *   cannot be written.
 */
async function save({ folder }: Io, name: string, { row, content }: StoredArtifact): Promise<void> {
  const path = resolve(folder, name);
  try {
    await assertFree(path, name);
    await using file = await DraftFile.open(path, (named) => named === basename(path), 0o666);
    const hash = createHash('sha256');
    for await (const piece of content) {
      hash.update(piece);
      await file.write(piece);
    }
    if (hash.digest('hex') !== row.sha256)
      throw conflict(`Artifact ${row.id} was changed in the store: its content does not have its checksum.`);
    // Another file may have come meanwhile.
    await assertFree(path, name);
    await file.replace();
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    const { code = error } = error as NodeJS.ErrnoException;
    throw new HorariumError('unavailable', `${name} cannot be written (${code}).`);
  }
}

/** @throws HorariumError `conflict` where a file, a folder or a link has that name. */
async function assertFree(path: string, name: string): Promise<void> {
  if (await lstat(path).catch(() => null))
    throw conflict(`${name} exists: name another file, or - for standard output.`);
}
