import type { AppRow } from '../app/app.ts';
import { isProgram } from '../app/missing-program.ts';
import type { ExecutorSchema, ExecutorSchemas } from '../resource/record-services.ts';
import { isAgentExecutor, isExternalExecutor } from './executor.ts';

/** The columns of an App that decide which executors may run its jobs. */
export const appColumns = ['id', 'executable', 'arguments', 'oci_image', 'executors'] as const;
export type RunnableApp = Pick<AppRow, (typeof appColumns)[number]>;

/**
 * Lists the executors that may run jobs of an App: those that it names, else those that recognize what it runs, else those
 * that run programs. One whose attempts run elsewhere may run attempts of any App that names none, because it runs nothing
 * here. Of one whose attempts run on agents, the executor there decides.
 */
export function allowedExecutors(executors: ExecutorSchemas, app: RunnableApp): readonly string[] {
  if (app.executors.length > 0) return app.executors;
  const all = [...executors];
  const runsPrograms = isProgram(executors, app);
  return all.flatMap(([name, executor]) => {
    const isAllowed = executor.recognizes
      ? executor.recognizes(app)
      : runsPrograms || isExternalExecutor(executor) || isAgentExecutor(executor);
    return isAllowed ? [name] : [];
  });
}

/**
 * Returns why an executor may not run jobs of an App: a sentence that lists those that may; null = it may, as far as this
 * host can tell: one that only other hosts have may recognize the App.
 * @param executor the one whose rules hold: see `rulingExecutor`.
 */
export function executorRefusal(executors: ExecutorSchemas, app: RunnableApp, executor: string): string | null {
  if (app.executors.length === 0 && !executors.has(executor)) return null;
  const allowed = allowedExecutors(executors, app);
  if (allowed.includes(executor)) return null;
  const choice = allowed.length > 1 ? `one of ${allowed.join(', ')}` : (allowed[0] ?? 'one that recognizes its kind');
  return `executor must be ${choice} for jobs of App ${app.id}, not ${executor}`;
}

/** The executor whose rules hold for a job: which Apps it may run, which variables it forbids, where its requests go. */
export interface RulingExecutor {
  readonly name: string;
  /** Undefined where no loaded plugin provides it. */
  readonly schema: ExecutorSchema | undefined;
}

/** Returns the executor itself, or the one that agents run the job by. */
export function rulingExecutor(
  executors: ExecutorSchemas,
  executor: string,
  options: Readonly<Record<string, unknown>>,
): RulingExecutor {
  const schema = executors.get(executor);
  if (!schema?.assignment) return { name: executor, schema };
  const { executor: name } = schema.assignment(options);
  return { name, schema: executors.get(name) };
}
