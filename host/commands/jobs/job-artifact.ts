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
    if (file === '-') return copy(artifact, (piece) => io.out(piece));
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
async function save({ folder }: Io, name: string, artifact: StoredArtifact): Promise<void> {
  const path = resolve(folder, name);
  try {
    await assertFree(path, name);
    await using file = await DraftFile.open(path, (named) => basename(path).startsWith(named), 0o666);
    await copy(artifact, (piece) => file.write(piece));
    await complete(file, path, name);
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    const { code = error } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(name);
    throw new HorariumError('unavailable', `${name} cannot be written (${code}).`);
  }
}

/** Gives the file its name, on file systems without links too. @throws EEXIST, or HorariumError `conflict`, when it is taken. */
async function complete(file: DraftFile, path: string, name: string): Promise<void> {
  try {
    await file.complete();
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await assertFree(path, name);
    await file.replace();
  }
}

/** @throws HorariumError `conflict` where a file, a folder or a link has that name. */
async function assertFree(path: string, name: string): Promise<void> {
  if (await lstat(path).catch(() => null)) throw taken(name);
}

function taken(name: string): HorariumError {
  return conflict(`${escapeControls(name)} exists: name another file, or - for standard output.`);
}

/** Writes the content. @throws HorariumError `conflict` at its end where it is not what the job left. */
async function copy({ row, content }: StoredArtifact, write: (piece: Uint8Array) => Promise<void>): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of content) {
    hash.update(piece);
    await write(piece);
  }
  if (hash.digest('hex') !== row.sha256)
    throw conflict(`Artifact ${row.id} was changed in the store: its content does not have its checksum.`);
}
