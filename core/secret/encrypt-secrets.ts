import type { FieldError } from '../errors.ts';
import { isPlainObject } from '../field/fields.ts';
import { pathText, type ValuePath, valueAt, withValueAt } from '../field/value-path.ts';
import type { AnyResource, CheckContext } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { isCiphertext, mask } from './ciphertext.ts';
import { RecordCipher } from './record-cipher.ts';
import { assertRotationKey } from './rotation-key.ts';

type Values = Record<string, unknown>;

/**
 * What a caller sends back as it was shown keeps what is stored: a mask becomes the encrypted value of the same place.
 * A mask with nothing behind it is refused, and so is a value that only the vault may write.
 */
export function restoreMasked(resource: AnyResource, set: Values, before: object | undefined, errors: FieldError[]) {
  for (const column of resource.columns) {
    if (!(column.name in set)) continue;
    const maskable = column.kind === 'json' || column.secret === 'encrypted';
    set[column.name] = restored(set[column.name], [column.name], maskable ? before : null, errors);
  }
}

/** `before` is null where masks mean nothing. */
function restored(value: unknown, path: ValuePath, before: object | undefined | null, errors: FieldError[]): unknown {
  if (isCiphertext(value)) {
    errors.push({ field: pathText(path), message: `${pathText(path)} may not begin like an encrypted value` });
    return value;
  }
  if (value === mask && before !== null) {
    const stored = valueAt(before, path);
    if (isCiphertext(stored)) return stored;
    errors.push({ field: pathText(path), message: `${pathText(path)} is masked, but nothing is stored there to keep` });
    return value;
  }
  if (Array.isArray(value)) return value.map((item, index) => restored(item, [...path, index], before, errors));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, restored(item, [...path, key], before, errors)]),
  );
}

/** The row as it may be written, and its cipher. A secret that did not change keeps its stored form. */
export async function encryptSecrets<R extends object>(
  resource: AnyResource,
  row: R,
  context: CheckContext<R>,
): Promise<{ row: R; cipher: RecordCipher }> {
  const { before, service, tables } = context;
  const cipher = new RecordCipher(
    service.vault,
    resource,
    before as { id: number; cipher_key: string | null } | undefined,
  );
  let encrypted = await hashPasswords(resource, row, before, service);
  for (const path of await secretPaths(resource, row, context)) {
    const value = valueAt(encrypted, path);
    if (value === null || value === undefined || isCiphertext(value)) continue;
    const plain = String(value);
    const stored = valueAt(before, path);
    if (isCiphertext(stored) && cipher.decrypt(path, stored) === plain) {
      encrypted = withValueAt(encrypted, path, stored);
      continue;
    }
    await assertRotationKey(tables, service.vault);
    encrypted = withValueAt(encrypted, path, cipher.encrypt(path, plain));
  }
  return { row: encrypted, cipher };
}

async function secretPaths<R>(resource: AnyResource, row: R, context: CheckContext<R>): Promise<ValuePath[]> {
  const whole = resource.columns.filter((column) => column.secret === 'encrypted').map((column) => [column.name]);
  return [...whole, ...((await resource.secrets?.(row, context)) ?? [])];
}

async function hashPasswords<R extends object>(
  resource: AnyResource,
  row: R,
  before: R | undefined,
  { hasher }: RecordServices,
): Promise<R> {
  let hashed = row;
  for (const { name, secret } of resource.columns) {
    const given = (row as Values)[name];
    const stored = (before as Values | undefined)?.[name];
    if (secret !== 'hashed' || typeof given !== 'string' || given === stored) continue;
    const same = typeof stored === 'string' && !hasher.needsRehash(stored) && (await hasher.verify(stored, given));
    hashed = { ...hashed, [name]: same ? stored : await hasher.hash(given) };
  }
  return hashed;
}
