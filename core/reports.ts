import type { AuditedStore } from './audit/audited-store.ts';
import { notFound } from './errors.ts';
import { Artifact, readArtifact } from './job/artifact.ts';
import { visibleTo } from './resource/access.ts';
import type { Actor } from './resource/actor.ts';
import { Task } from './task/task.ts';
import { type SummaryQuery, summarizeTasks } from './task/task-summary.ts';
import { type PreviewRange, preview } from './template/preview.ts';
import { RunTemplate } from './template/run-template.ts';

/** What can be read of the service that is no record. */
export class Reports {
  readonly #store: AuditedStore;
  readonly #timezone: string;

  constructor(store: AuditedStore, timezone: string) {
    this.#store = store;
    this.#timezone = timezone;
  }

  /** A file that a job left behind, whole. @throws HorariumError `not_found`. */
  artifact(actor: Actor, id: number) {
    return this.#store.read((tables) => readArtifact(tables, visibleTo(actor, Artifact), id));
  }

  /** The windows that a template would owe. @throws HorariumError `not_found`. */
  async preview(actor: Actor, templateId: number, range: PreviewRange) {
    const where = [['id', '=', templateId] as const, ...visibleTo(actor, RunTemplate)];
    const [template] = await this.#store.read((tables) => tables.of(RunTemplate).find({ where, limit: 1 }));
    if (!template) throw notFound(RunTemplate.name, templateId);
    return preview(template, range);
  }

  /** Tasks that the actor may see, counted by state for each template and day of the service's time zone. */
  taskSummary(actor: Actor, query: SummaryQuery) {
    const visible = visibleTo(actor, Task);
    return this.#store.read((tables) => summarizeTasks(tables, visible, { ...query, timezone: this.#timezone }));
  }
}
