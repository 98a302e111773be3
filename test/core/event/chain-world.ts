import { type Core, type CoreOptions, type EventRow, type JobRow, trustedActor } from '@horarium/core';
import type { SourceChange } from '#core/event/event-source-kind';
import { EventProcessor } from '#core/event/processor/event-processor';
import type { EventRuleRow } from '#core/event/rule/event-rule';
import { newSourceEvents } from '#core/event/source-events';
import { HostClock } from '../../support/clocks/virtual-time.ts';
import { EmbeddingWorld } from '../embedding/embedding-world.ts';

/** What a function of a chain was given. */
interface Call {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A core whose functions note what they are given and end as the test says, in virtual time. */
export class ChainWorld extends EmbeddingWorld {
  readonly actor = trustedActor('anna', 'embedded');
  readonly chain: Core;
  readonly #maxFanOut: number | undefined;
  readonly calls: Call[] = [];
  /** The functions that fail when they are called. */
  readonly failing = new Set<string>();
  readonly templates = new Map<string, number>();

  constructor(options: Partial<CoreOptions> = {}) {
    super();
    this.#maxFanOut = options.maxFanOut;
    this.chain = this.core(options);
  }

  /** Makes a function known that may get these variables. @returns the id of its template. */
  async define(name: string, variables: readonly string[] = [], company = 'default'): Promise<number> {
    const run = Object.assign(
      ({ environment }: { readonly environment: Readonly<Record<string, string>> }) => {
        this.calls.push({ name, environment });
        if (this.failing.has(name)) throw new Error(`${name} fails`);
      },
      { variables: Object.fromEntries(variables.map((variable) => [variable, { type: 'string' as const }])) },
    );
    const { id } = await this.chain.onDemand(name, run, { company });
    this.templates.set(name, id);
    return id;
  }

  template(name: string): number {
    return this.templates.get(name) as number;
  }

  /** Saves a rule that runs a template when another one ends. */
  when(source: string, target: string, more: Partial<EventRuleRow> = {}): Promise<EventRuleRow> {
    return this.chain.eventRules.save(this.actor, {
      runtemplate_source_id: this.template(source),
      runtemplate_id: this.template(target),
      ...more,
    });
  }

  async run(name: string): Promise<void> {
    await this.chain.jobs.schedule(this.actor, { runtemplate_id: this.template(name) });
  }

  /** Reports changes of a source, as a reader does, and processes their events. */
  async report(
    sourceId: number,
    changes: readonly (Partial<SourceChange> & { readonly key: string })[],
  ): Promise<void> {
    const blank = { evidence: null, operation: null, recordId: null, payload: {} };
    const reported = changes.map((change) => ({ ...blank, ...change }));
    await this.chain.store.transaction(trustedActor('reader'), (tables) =>
      newSourceEvents(tables, { id: sourceId }, reported),
    );
    const processor = this.processor();
    while ((await processor.tick()) === 0);
  }

  /** An event processor of a host of its own. */
  processor(options: Partial<ConstructorParameters<typeof EventProcessor>[0]> = {}): EventProcessor {
    return new EventProcessor({
      store: this.chain.store,
      clock: new HostClock(this.time, 0),
      poll: 1000,
      vault: this.ports.vault,
      maxFanOut: this.#maxFanOut,
      matchesPattern: (pattern, path) => new RegExp(pattern).test(path),
      ...options,
    });
  }

  /** What the functions were called with, as `name` or `name KEY=value …`. */
  shownCalls(...keys: readonly string[]): string[] {
    return this.calls.map(({ name, environment }) =>
      [name, ...keys.filter((key) => key in environment).map((key) => `${key}=${environment[key]}`)].join(' '),
    );
  }

  async events(): Promise<readonly EventRow[]> {
    return (await this.chain.events.list(this.actor, { order: 'id' })).rows;
  }

  async jobs(): Promise<readonly JobRow[]> {
    return (await this.chain.jobs.list(this.actor, { order: 'id' })).rows;
  }
}
