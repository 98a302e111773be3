import type { FieldError } from '../errors.ts';
import type { AnyResource, CheckContext } from './define-resource.ts';
import { isPlainObject } from './fields.ts';
import { isSealed, mask } from './mask.ts';
import { RecordSeal, type ValuePath } from './record-seal.ts';
import { refuseOtherKey } from './sealing-key.ts';
import type { Surroundings } from './surroundings.ts';
import { pathText, valueAt, withValueAt } from './value-path.ts';

type Values = Record<string, unknown>;

/**
 * What a caller sends back as it was shown keeps what is stored: a mask becomes the sealed value of the same place.
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
  if (isSealed(value)) {
    errors.push({ field: pathText(path), message: `${pathText(path)} may not begin like an encrypted value` });
    return value;
  }
  if (value === mask && before !== null) {
    const stored = valueAt(before, path);
    if (isSealed(stored)) return stored;
    errors.push({ field: pathText(path), message: `${pathText(path)} is masked, but nothing is stored there to keep` });
    return value;
  }
  if (Array.isArray(value)) return value.map((item, index) => restored(item, [...path, index], before, errors));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, restored(item, [...path, key], before, errors)]),
  );
}

/** The row as it may be written, and its seal. A secret that did not change keeps its stored form. */
export async function sealSecrets<R extends object>(
  resource: AnyResource,
  row: R,
  context: CheckContext<R>,
): Promise<{ row: R; seal: RecordSeal }> {
  const { before, service, tables } = context;
  const seal = new RecordSeal(service.vault, resource, before as { id: number; seal: string | null } | undefined);
  let sealed = await hashPasswords(resource, row, before, service);
  for (const path of await secretPaths(resource, row, context)) {
    const value = valueAt(sealed, path);
    if (value === null || value === undefined || isSealed(value)) continue;
    const plain = String(value);
    const stored = valueAt(before, path);
    if (isSealed(stored) && seal.open(path, stored) === plain) {
      sealed = withValueAt(sealed, path, stored);
      continue;
    }
    await refuseOtherKey(tables, service.vault);
    sealed = withValueAt(sealed, path, seal.seal(path, plain));
  }
  return { row: sealed, seal };
}

async function secretPaths<R>(resource: AnyResource, row: R, context: CheckContext<R>): Promise<ValuePath[]> {
  const whole = resource.columns.filter((column) => column.secret === 'encrypted').map((column) => [column.name]);
  return [...whole, ...((await resource.secrets?.(row, context)) ?? [])];
}

async function hashPasswords<R extends object>(
  resource: AnyResource,
  row: R,
  before: R | undefined,
  { hasher }: Surroundings,
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
