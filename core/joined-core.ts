import { Jobs, type JobsOptions } from './job/jobs.ts';
import { WithNamedRecords } from './named-records.ts';
import { Records } from './records/records.ts';
import type { Resource } from './resource/define-resource.ts';
import type { AnyRow } from './store/table.ts';

/**
 * The records and jobs of a core inside a transaction of the embedding program: permissions are checked and changes
 * audited as ever, and workers are woken once that transaction has committed.
 */
export class JoinedCore extends WithNamedRecords {
  override readonly jobs: Jobs;
  readonly #options: JobsOptions;

  constructor(options: JobsOptions) {
    super();
    this.#options = options;
    this.jobs = new Jobs(options);
  }

  /** The records of one resource, by its name. @throws Error when there is no such resource. */
  records<R extends AnyRow = AnyRow>(resource: Resource<R> | string): Records<R> {
    const { records } = this.#options;
    const name = typeof resource === 'string' ? resource : resource.name;
    return new Records(records.findResource(name) as Resource<R>, records);
  }
}
