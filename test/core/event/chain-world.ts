import { type Core, type CoreOptions, type EventRow, type JobRow, trustedActor } from '@horarium/core';
import type { SourceChange } from '#core/event/event-source-kind';
import { processEvents } from '#core/event/process-events';
import type { EventRuleRow } from '#core/event/rule/event-rule';
import { newSourceEvents } from '#core/event/source-events';
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

  /** Reports changes of a source, and processes their events in the same transaction, as a reader does. */
  report(sourceId: number, changes: readonly (Partial<SourceChange> & { readonly key: string })[]): Promise<void> {
    const blank = { evidence: null, operation: null, recordId: null, payload: {} };
    return this.chain.store.transaction(trustedActor('reader'), async (tables) => {
      const events = await newSourceEvents(
        tables,
        { id: sourceId },
        changes.map((change) => ({ ...blank, ...change })),
      );
      await processEvents(tables, events, {
        vault: this.ports.vault,
        maxFanOut: this.#maxFanOut,
        matchesPattern: (pattern, path) => new RegExp(pattern).test(path),
      });
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
