import type { EncryptedTable } from '../secret/encrypted-tables.ts';
import { lockTemplates } from '../template/schedule.ts';
import { reencryptGivenSecrets } from './given-secrets.ts';
import { Job, type JobRow } from './job.ts';
import { reencryptOverrides } from './overrides.ts';

type EncryptedColumns = Pick<JobRow, 'id' | 'revision' | 'runtemplate_id' | 'overrides' | 'given_secrets'>;

/** Tells a key rotation how to encrypt the secrets of jobs with the newest key. */
export const encryptedJobs: EncryptedTable = {
  table: Job,
  columns: ['id', 'revision', 'runtemplate_id', 'overrides', 'given_secrets'],
  reencrypt: (vault, row: EncryptedColumns) => ({
    overrides: reencryptOverrides(vault, row),
    given_secrets: reencryptGivenSecrets(vault, row),
  }),
  // A retry copies the overrides of the previous attempt, and the end of an attempt clears what it was given, under the
  // lock of the template, so a rotation takes it as well.
  lock: (tables, rows: readonly EncryptedColumns[]) =>
    lockTemplates(
      tables,
      rows.map((row) => row.runtemplate_id),
      'wait',
    ),
};
