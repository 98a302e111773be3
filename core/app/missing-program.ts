import type { Executable, ExecutorSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import { hasPlaceholder } from './placeholder.ts';

interface ProgramOfApp extends Executable {
  /** Empty = those that may run what it is. */
  readonly executors: readonly string[];
}

/** Whether an App names a program of the machine: it has no image, and no executor recognizes it as a kind of its own. */
export function isProgram(executors: ExecutorSchemas, app: Executable): boolean {
  return app.oci_image === null && ![...executors.values()].some((executor) => executor.recognizes?.(app));
}

/** Warns if this machine lacks the program of an App, because others may lack it too. A placeholder is not known yet. */
export function warnOfMissingProgram(tables: Tables, executors: ExecutorSchemas, app: ProgramOfApp): void {
  if (hasPlaceholder(app.executable)) return;
  for (const [name, executor] of executors) {
    const mayRun = app.executors.length > 0 ? app.executors.includes(name) : isProgram(executors, app);
    const reason = mayRun ? (executor.missingProgram?.(app.executable) ?? null) : null;
    if (reason !== null) tables.warn(`On this machine, the executor ${name} could not start it: ${reason}`);
  }
}
