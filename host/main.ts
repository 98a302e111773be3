// This file runs on any Node that supports modules, so it imports nothing that an old one lacks before the version is
// checked.
import { writeSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { saveMemory, saveNoMemory } from './agent/memory-saving.ts';
import { isSupportedNode, unsupportedNode } from './node-version.ts';
import { keepYoungGenerationSmall } from './serve/young-generation.ts';

if (isSupportedNode) await run();
else {
  console.error(unsupportedNode);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const isAgent = process.argv[2] === 'agent';
  // The compile cache lets commands start sooner; the service and agents do without, because they would keep 8 MB of it
  // as long as they run. The cache lies beside the compiled files: it is as trustworthy as they are, and deleted with them. Where
  // it cannot be written, everything is compiled.
  if (isAgent || process.argv.includes('serve')) keepYoungGenerationSmall();
  else module.enableCompileCache(join(import.meta.dirname, '..', 'cache'));

  // A reader that closes the pipe early, such as `head`, is no failure, except of a copy.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && process.argv[2] !== 'backup') process.exit(0);
    writeSync(2, `Standard output cannot be written (${code}): what was written is not whole.\n`);
    process.exit(1);
  });

  process.exitCode = (isAgent ? await runAgent() : null) ?? (await runCommand());
}

/** @returns the exit code; null = the whole program is to run the agent. */
async function runAgent(): Promise<number | null> {
  saveMemory();
  const { runAgentAlone } = await import('./agent-main.ts');
  const code = await runAgentAlone();
  if (code === null) saveNoMemory();
  return code;
}

async function runCommand(): Promise<number> {
  const { runCli } = await import('./cli/program.ts');
  const { processIo } = await import('./cli/process-io.ts');
  return runCli(processIo());
}
