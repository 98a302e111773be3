import type { RecordsContext } from '../records/records.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { type AppliedConfiguration, type ApplyOptions, applyConfiguration } from './apply.ts';
import type { ConfiguredRecord } from './configured-fields.ts';
import { type ExportedConfiguration, type ExportOptions, exportConfiguration } from './export.ts';

interface ConfigurationRequest extends ApplyOptions {
  /** Whether everything is rolled back at the end, so that the result is a plan. @default false */
  readonly dryRun?: boolean | undefined;
}

/** What a service runs and when, as data for a version control system: no ids, no secrets, no people, no history. */
export class Configuration {
  readonly #context: RecordsContext;
  readonly #resources: readonly AnyResource[];

  constructor(context: RecordsContext, resources: readonly AnyResource[]) {
    this.#context = context;
    this.#resources = resources;
  }

  /**
   * Returns the configuration that the actor may see, in the order in which it can be applied.
   * @throws HorariumError as `exportConfiguration`.
   */
  export(actor: Actor, options: ExportOptions = {}): Promise<ExportedConfiguration> {
    const { store } = this.#context;
    return store.read((tables) => exportConfiguration(this.#context, tables, actor, this.#resources, options));
  }

  /**
   * Makes the records as desired, all or none, with the rights of the actor. What a record leaves out gets its default.
   * @throws HorariumError as `applyConfiguration`.
   */
  async apply(
    actor: Actor,
    records: readonly ConfiguredRecord[],
    { dryRun = false, ...options }: ConfigurationRequest = {},
  ): Promise<AppliedConfiguration> {
    const { store } = this.#context;
    const work = (tables: Parameters<typeof applyConfiguration>[1]) =>
      applyConfiguration(this.#context, tables, actor, this.#resources, records, options);
    return dryRun ? (await store.dryRun(actor, work)).result : store.transaction(actor, work);
  }
}
