import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Core, Store } from '@horarium/core';
import type { BenchDatabase } from '../../harness/databases.ts';
import type { TemplatesDue } from '../../harness/templates-due.ts';

/** What the benches of a checkout export, under the names of today. */
export interface Checkout {
  readonly root: string;
  openDatabase(name: string): Promise<BenchDatabase>;
  addTemplates(store: Store, due: TemplatesDue): Promise<unknown>;
  waitUntilTasksEnded(store: Store): Promise<void>;
  drain(database: BenchDatabase, count: number): Promise<number>;
  benchCore(store: Store, executor: InstanceType<Checkout['NoopExecutor']>, capacity: number): Core;
  readonly NoopExecutor: new () => {
    readonly started: number;
    readonly lastStartedAt?: number;
    /** Its name up to a1df491. */
    readonly lastStart?: number;
  };
}

/** Where the benches of today are, and where those up to a1df491 are. */
const files = [
  ['programs/drain.js', 'drain.js'],
  ['harness/bench-core.js', 'bench-core.js'],
  ['harness/databases.js', 'databases.js'],
  ['harness/templates-due.js', 'templates-due.js'],
];
const functions = [
  'openDatabase',
  'addTemplates',
  'waitUntilTasksEnded',
  'drain',
  'benchCore',
  'NoopExecutor',
] as const;

/** Imports the benches of a checkout. @throws Error when one of them lacks a function. */
export async function loadCheckout(root: string): Promise<Checkout> {
  const folder = join(root, 'dist/test/bench');
  const found = files.flatMap((places) => places.map((place) => join(folder, place)).find(existsSync) ?? []);
  const modules = await Promise.all(found.map((file) => import(pathToFileURL(file).href)));
  const exported = Object.assign({ root }, ...modules);
  // Its name up to a1df491.
  exported.waitUntilTasksEnded ??= exported.allTasksEnded;
  for (const name of functions)
    if (typeof exported[name] !== 'function') throw new Error(`its benches have no function ${name}`);
  return exported;
}
