#!/usr/bin/env node
// This file runs on any Node that supports modules: where Node is too old for the service, one that is installed beside
// the package takes over, as in a checkout. It imports nothing that an old Node lacks before the version is checked.
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSupportedNode, nodePackage, unsupportedNode } from './node-version.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../bundle/main.js');

if (isSupportedNode) {
  await import('../bundle/main.js' as string);
} else {
  const node = installedNode();
  if (node) forwardSignals(spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' }));
  else {
    console.error(unsupportedNode);
    process.exitCode = 1;
  }
}

function installedNode(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${nodePackage}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/** Forwards signals to the child and ends as it ends. */
function forwardSignals(child: ChildProcess): void {
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    console.error(`The Node of the package ${nodePackage} cannot be started: ${error.message}.`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    for (const signalName of signals) process.off(signalName, forward);
    process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
  });
}
