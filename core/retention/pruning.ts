import { denied } from '../errors.ts';
import type { ServiceRetentionRules } from '../quota/keep-rules.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { DeletedCounts } from './delete-expired.ts';
import { countExpired } from './expired-rows.ts';
import { type PruningProgress, type RetentionOptions, runRetention } from './retention.ts';

export interface PruneOptions {
  /** Whether it only counts. @default false */
  readonly dryRun?: boolean;
  /** Called after each transaction with what was deleted so far, and with how far the rows are that were found last. */
  onProgress?(counts: DeletedCounts, found: PruningProgress): void;
}

/** Deletes what is kept no longer when an admin asks for it; a service does so by itself every hour. */
export class Pruning {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** What is kept where no template and no company says otherwise. */
  get rules(): ServiceRetentionRules {
    return this.#options.rules;
  }

  /**
   * Deletes what is kept no longer, as the service of that name in the audit log. It may be stopped at any time, and run again.
   * @throws HorariumError `denied`
   */
  async prune(actor: Actor, { dryRun = false, onProgress }: PruneOptions = {}): Promise<DeletedCounts> {
    if (!isAdmin(actor))
      throw denied(`${actor.name} may not delete what is kept no longer: that takes the role admin.`);
    const { store, rules } = this.#options;
    return dryRun ? countExpired((work) => store.read(work), rules) : runRetention(this.#options, onProgress);
  }
}
