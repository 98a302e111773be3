import type { Executable, ExecutorSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import { hasPlaceholder } from './placeholder.ts';

interface ProgramOfApp extends Executable {
  /** Empty = those that may run what it is. */
  readonly executors: readonly string[];
}

/** Whether an App names a program of the machine: it has no image, and no executor claims it, as `http` claims URLs. */
export function isProgram(executors: ExecutorSchemas, app: Executable): boolean {
  return app.oci_image === null && ![...executors.values()].some((executor) => executor.recognizes?.(app));
}

/** Warns if this machine lacks the program of an App, because others may lack it too. */
export async function warnOfMissingProgram(
  tables: Pick<Tables, 'warn'>,
  executors: ExecutorSchemas,
  app: ProgramOfApp,
): Promise<void> {
  const runners = [...executors.keys()].filter((name) =>
    app.executors.length > 0 ? app.executors.includes(name) : isProgram(executors, app),
  );
  await Promise.all(runners.map((name) => warnOfMissingProgramFor(tables, executors, app, name)));
}

/**
 * Warns if this machine lacks the program of an App for one executor that may run it. A program whose path has a
 * placeholder is not looked for: its value is not known yet.
 */
export async function warnOfMissingProgramFor(
  tables: Pick<Tables, 'warn'>,
  executors: ExecutorSchemas,
  { executable }: Pick<Executable, 'executable'>,
  name: string,
): Promise<void> {
  if (hasPlaceholder(executable)) return;
  const reason = (await executors.get(name)?.missingProgram?.(executable)) ?? null;
  if (reason !== null) tables.warn(`On this machine, the executor ${name} could not start it: ${reason}`);
}
