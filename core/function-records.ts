import { App, type AppRow } from './app/app.ts';
import type { Variable } from './app/declarations.ts';
import type { AuditedStore } from './audit/audited-store.ts';
import { Company } from './company/company.ts';
import { conflict } from './errors.ts';
import type { FunctionExecutor, JobFunction } from './executor/function-executor.ts';
import { WithNamedRecords } from './named-records.ts';
import type { Actor } from './resource/actor.ts';
import { maskCiphertext } from './secret/ciphertext.ts';
import type { Tables } from './store/store.ts';
import { RunTemplate, type RunTemplateInput, type RunTemplateRow } from './template/run-template.ts';
import { intervals } from './time/interval.ts';

/** How a function runs, as the fields of its App and its RunTemplate. What is left out stays as it is stored. */
export interface FunctionOptions
  extends Partial<
    Pick<
      RunTemplateInput,
      | 'name'
      | 'max_attempts'
      | 'retry_backoff'
      | 'retry_delay'
      | 'retry_max_delay'
      | 'timeout'
      | 'overlap'
      | 'environment'
      | 'credentials'
      | 'note'
    >
  > {
  /** The code of the company that the function runs for; it is created where there is none. @default 'default' */
  readonly company?: string;
  /** The arguments of the function. @default those stored; none at first */
  readonly arguments?: readonly string[];
}

/** How a recurring function is scheduled and runs. What is left out stays as it is stored. */
export interface RecurringOptions
  extends FunctionOptions,
    Partial<
      Pick<
        RunTemplateInput,
        'timezone' | 'delay' | 'jitter' | 'starts_at' | 'ends_at' | 'deadline' | 'allow_late' | 'catch_up'
      >
    > {}

/** A function and when it runs. */
interface ScheduledFunction {
  /** The name of the function and the code of its App and RunTemplate. */
  readonly name: string;
  /** A cron pattern, or the name of an interval such as `daily`; with `none` it runs on demand only. */
  readonly cadence: string;
  /** The name of the executor that runs it. */
  readonly executor: string;
  /** The variables that it reads. Those of `options.environment` are declared too, as texts. */
  readonly variables: Readonly<Record<string, Variable>>;
  readonly options: RecurringOptions;
}

/** Runs functions of the embedding program as jobs, for a class that has the records of a core. */
export abstract class WithFunctions extends WithNamedRecords {
  /** Undefined where no functions run. */
  protected abstract readonly functions: FunctionExecutor | undefined;
  abstract readonly store: AuditedStore;
  /** Whether it runs no more jobs, because it was stopped. */
  protected abstract readonly isStopped: boolean;
  abstract actor(name: string): Actor;

  /**
   * Runs a function as often as a cron pattern says, or an interval such as `daily`, and owes each of its windows from
   * now on. It saves an App, a company and a RunTemplate under codes, so that a program may call it at every start; a
   * change of the cadence or the options takes effect then.
   * @param name the name of the function, in this program and in the store.
   * @returns the RunTemplate.
   * @throws HorariumError `invalid` for a cadence or an option, `conflict` when the name is taken, functions cannot run or the core was
   *   stopped. A function that is refused leaves its name free.
   */
  async every(
    cadence: string,
    name: string,
    run: JobFunction,
    options: RecurringOptions = {},
  ): Promise<RunTemplateRow> {
    return this.#saveFunction(cadence, name, run, options);
  }

  /**
   * Makes a function of this program known, which runs whenever a job of its RunTemplate is scheduled:
   * `core.jobs.schedule(actor, { runtemplate_id })`. It saves an App, a company and a RunTemplate as `every` does. Several
   * of its jobs may run at once, unless the option `overlap` says otherwise.
   * @param name the name of the function, in this program and in the store.
   * @returns the RunTemplate.
   * @throws HorariumError `invalid` for an option, `conflict` when the name is taken or functions cannot run.
   */
  async onDemand(name: string, run: JobFunction, options: FunctionOptions = {}): Promise<RunTemplateRow> {
    return this.#saveFunction('none', name, run, { overlap: 'allow', ...options });
  }

  async #saveFunction(cadence: string, name: string, run: JobFunction, options: RecurringOptions) {
    if (!this.functions) throw conflict('This core runs no functions: give it functions() among its executors.');
    if (this.isStopped) throw conflict(`The core was stopped, so it cannot run the function ${name}.`);
    const isNew = this.functions.add(name, run);
    const executor = this.functions.name;
    const { variables = {} } = run;
    const scheduled = { name, cadence, executor, variables, options };
    try {
      return await saveFunction(this, this.actor('embedding program'), scheduled);
    } catch (error) {
      if (isNew) this.functions.remove(name);
      throw error;
    }
  }
}

/**
 * Saves the App, the company and the RunTemplate of a function, each found by its code: a program that starts again with
 * the same function changes nothing.
 * @throws HorariumError `invalid` for a field of the RunTemplate, `conflict` when an App with the code runs another program.
 */
function saveFunction(core: WithFunctions, actor: Actor, scheduled: ScheduledFunction): Promise<RunTemplateRow> {
  const { name, executor, options } = scheduled;
  const { company: companyCode = 'default', arguments: args, ...template } = options;
  return core.store.transaction(actor, async (tables) => {
    const environment = { ...textsOf(template.environment ?? {}), ...scheduled.variables };
    const app_id = await saveApp(core, tables, actor, name, { environment, arguments: args });
    const company_id = await saveCompany(core, tables, actor, companyCode);
    const given = { name, ...template, ...cadenceFields(scheduled.cadence), executor, app_id, company_id, code: name };
    return core.records(RunTemplate).saveIn(tables, actor, given, {});
  });
}

function textsOf(environment: RunTemplateRow['environment']): Record<string, Variable> {
  return Object.fromEntries(Object.keys(environment).map((key) => [key, { type: 'string' }]));
}

/** Returns the id of the App with that code, after it was created or changed. What it declares already stays as it is. */
async function saveApp(
  core: WithFunctions,
  tables: Tables,
  actor: Actor,
  code: string,
  given: Pick<AppRow, 'environment'> & { readonly arguments: readonly string[] | undefined },
): Promise<number> {
  const [known] = await tables.of(App).find({ where: [['code', '=', code]], limit: 1 });
  if (known && known.executable !== code)
    throw conflict(`The App ${code} runs ${known.executable}, not a function: choose another name for the function.`);
  const isDeclared = (key: string) => Object.hasOwn(known?.environment ?? {}, key);
  const undeclared = Object.entries(given.environment).filter(([key]) => !isDeclared(key));
  const stored = maskCiphertext(known?.environment ?? {}) as AppRow['environment'];
  const fields = {
    ...(!known && { code, name: code, executable: code }),
    ...(given.arguments && { arguments: given.arguments }),
    ...(undeclared.length > 0 && { environment: { ...stored, ...Object.fromEntries(undeclared) } }),
  };
  return (await core.records(App).saveIn(tables, actor, fields, { id: known?.id })).id;
}

/** Returns the id of the company with that code, after it was created where there was none. */
async function saveCompany(core: WithFunctions, tables: Tables, actor: Actor, code: string): Promise<number> {
  const [known] = await tables.of(Company).find({ where: [['code', '=', code]], limit: 1, columns: ['id'] });
  return known?.id ?? (await core.records(Company).saveIn(tables, actor, { code, name: code }, {})).id;
}

function cadenceFields(cadence: string): RunTemplateInput {
  const interval = intervals.find((name) => name === cadence && name !== 'custom');
  return interval ? { interval, cron: null } : { interval: 'custom', cron: cadence };
}
