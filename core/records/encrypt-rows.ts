import { changedFields } from '../audit/diff.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { encryptSecrets } from '../secret/encrypt-secrets.ts';
import type { PasswordHashes } from '../secret/hash-passwords.ts';
import type { Where } from '../store/query.ts';
import { eachPage, type PageQuery } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';

/** Whole rows are read, and each may hold 1 MiB. */
const batchSize = 100;

/**
 * Reacts to a change of a record that declares variables secret, such as an App. Where the change declares further
 * variables, encrypts their values that are stored in the clear, in the same transaction. Audit entries of earlier
 * changes stay as they are.
 */
export async function onNewSecretVariables<R>(
  { before, after }: { readonly before: R | undefined; readonly after: R | undefined },
  secretVariablesOf: (row: R) => readonly string[],
  encrypt: (row: R) => Promise<void>,
): Promise<void> {
  if (!after) return;
  const declared = new Set(before ? secretVariablesOf(before) : []);
  if (secretVariablesOf(after).some((name) => !declared.has(name))) await encrypt(after);
}

/** Encrypts the secrets of a row of a resource, those in its structured fields included, as `encryptSecrets` does. */
export async function encryptRow<R extends AnyRow>(
  resource: Resource<R>,
  row: R,
  context: {
    readonly tables: Tables;
    readonly service: RecordServices;
    readonly before: R | undefined;
    readonly hashes?: PasswordHashes | undefined;
  },
) {
  const paths = (await resource.secrets?.(row, context)) ?? [];
  return encryptSecrets(resource, row, { ...context, paths });
}

/** Encrypts the secrets that rows of a resource store in the clear. */
export async function encryptRows<R extends AnyRow>(
  tables: Tables,
  service: RecordServices,
  resource: Resource<R>,
  where: Where<R> = [],
): Promise<void> {
  const table = tables.of(resource);
  const read = (page: PageQuery<R>) => table.find(page);
  for await (const rows of eachPage(read, { where, size: batchSize })) {
    for (const before of rows) {
      await yieldToEventLoop();
      const { row, cipher } = await encryptRow(resource, before, { tables, service, before });
      if (row === before) continue;
      const key = cipher.cipherKeyFor(before.id);
      const set = { ...changedFields(before, row), ...(key !== undefined && { cipher_key: key }) };
      await table.update([{ row: before, set }]);
    }
  }
}
