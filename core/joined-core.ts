import { Jobs, type JobsOptions } from './job/jobs.ts';
import { WithNamedRecords } from './named-records.ts';
import type { RecordsContext } from './records/records.ts';

/**
 * The records and jobs of a core inside a transaction of the embedding program: permissions are checked and changes
 * audited as ever, and workers are woken once that transaction has committed.
 */
export class JoinedCore extends WithNamedRecords {
  override readonly jobs: Jobs;
  protected readonly recordsContext: RecordsContext;

  constructor(options: JobsOptions) {
    super();
    this.recordsContext = options.records;
    this.jobs = new Jobs(options);
  }
}
