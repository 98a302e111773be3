import { describeFields } from '../field/field-description.ts';
import type { Fields } from '../field/field-meta.ts';
import type { RecordsContext } from '../records/records.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { type DraftPreview, type DraftRequest, previewDraft } from './draft-schedule.ts';
import { type FormField, formFieldOf } from './form-field.ts';
import { describeModel, type Model, modelFor, type StaticModel } from './model.ts';

/** What pages for people need to show lists and forms of every kind of records, before a record is saved. */
export class Forms {
  readonly #context: RecordsContext;
  readonly #resources: readonly AnyResource[];
  #model: StaticModel | undefined;

  constructor(context: RecordsContext, resources: readonly AnyResource[]) {
    this.#context = context;
    this.#resources = resources;
  }

  /** Everything from which lists, filters, columns and forms follow, with what the actor may do. */
  model(actor: Actor): Model {
    this.#model ??= describeModel(this.#resources, this.#context.service);
    return modelFor(actor, this.#model, this.#resources);
  }

  /** Describes fields that are no record's, such as the options of an import. */
  fieldsOf(fields: Fields): readonly FormField[] {
    const { service } = this.#context;
    return describeFields(fields).map((column) => formFieldOf(column, fields, service));
  }

  /** The windows of a schedule that is not saved. @throws HorariumError as `previewDraft`. */
  previewSchedule(actor: Actor, request: DraftRequest): Promise<DraftPreview> {
    return previewDraft(this.#context, actor, request);
  }
}
