import {
  AuditedStore,
  ExternalJobs,
  ExternalLeaseReaper,
  Heartbeats,
  type JobRedactorOptions,
  Jobs,
  type Store,
} from '@horarium/core';
import { disabledReason } from '#core/template/disabled-reason';
import { NodeDigests } from '../../adapters/node/node-digests.ts';
import { externalExecutors } from './external-executors.ts';
import { prepareAttempts } from './simulation/world/prepare-attempts.ts';
import { withTripwire } from './tripwire.ts';

const digests = new NodeDigests();
/** What is kept of one job. */
const limits = { output_limit: 20, file_limit: 300, files_limit: 700, files_count: 3 };

/** One host, without anything that happens by itself. */
export class ExternalHost {
  readonly store: AuditedStore;
  readonly jobs: Jobs;
  readonly external: ExternalJobs;
  readonly keeper: ExternalLeaseReaper;
  readonly heartbeats: Heartbeats;

  /** @param keys of heartbeats, by the ids of the jobs that were claimed. */
  constructor(store: Store, keys: Map<number, string>) {
    this.store = new AuditedStore(withTripwire(store));
    const access = { store: this.store, mayRun: () => true };
    const executors = new Map(externalExecutors(limits));
    const names = [...executors.keys()];
    this.jobs = new Jobs({
      ...access,
      executors: names,
      disabledReason: disabledReason,
      overrides: async (_tables, _template, given) => ({ ...given }),
    });
    const secrets: JobRedactorOptions = {
      digests,
      prepare: async (tables, claims) =>
        (await prepareAttempts(tables, claims)).map((prepared) => {
          const key = digests.random();
          const { attempt, shown, claim } = prepared;
          if (claim.job.state === 'scheduled') keys.set(claim.job.id, key);
          const environment = { HORARIUM_PING_URL: key };
          const options = claim.template.executor_options;
          return {
            ...prepared,
            refusal: null,
            attempt: { ...attempt, environment, options },
            shown: { ...shown, ping_key_hash: digests.sha256(key) },
          };
        }),
    };
    this.external = new ExternalJobs({ ...access, ...secrets, executors });
    this.keeper = new ExternalLeaseReaper({ store: this.store, executors: names });
    this.heartbeats = new Heartbeats({ ...secrets, store: this.store });
  }
}
