import { AuditedStore, ExternalJobs, ExternalLeaseReaper, Heartbeats, Jobs, type Store } from '@horarium/core';
import { NodeDigests } from '../../../adapters/node/node-digests.ts';
import { externalExecutors } from '../executors/external-executors.ts';
import { testPreparation } from '../simulation/world/preparation.ts';
import { withAuditTripwire } from '../store/audit-tripwire.ts';

/** How much is stored of one job. */
const limits = { output_limit: 20, file_limit: 300, files_limit: 700, files_count: 3 };

/** One host whose reaper ticks only when the test lets it. */
export class ExternalHost {
  readonly store: AuditedStore;
  readonly jobs: Jobs;
  readonly external: ExternalJobs;
  readonly reaper: ExternalLeaseReaper;
  readonly heartbeats: Heartbeats;

  constructor(store: Store) {
    this.store = new AuditedStore(withAuditTripwire(store));
    const executors = new Map(externalExecutors(limits));
    const names = [...executors.keys()];
    const parts = { ...testPreparation(), digests: new NodeDigests(), store: this.store };
    this.jobs = new Jobs({ store: this.store, vault: parts.vault, executors: names });
    this.external = new ExternalJobs({ ...parts, executors });
    this.reaper = new ExternalLeaseReaper({ store: this.store, executors: names });
    this.heartbeats = new Heartbeats(parts);
  }
}
