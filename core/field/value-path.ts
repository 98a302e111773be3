/** The path of a value inside structured data: `['environment', 'API_KEY']`. */
export type ValuePath = readonly (string | number)[];

/** Whether a value is an object of keys and values: not a list, not bytes. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Returns the value at a path of structured data; undefined when there is none. */
export function valueAt(data: unknown, path: ValuePath): unknown {
  let value = data;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step];
    else if (isPlainObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/**
 * Copies data with other values at paths that exist in it. Each object and list that changes is copied once; the others
 * are shared.
 */
export function withValuesAt<T>(data: T, changes: readonly (readonly [ValuePath, unknown])[]): T {
  const copies = new Set<unknown>();
  const copied = (value: unknown) => {
    if (copies.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
    copies.add(copy);
    return copy;
  };
  const root = { data: data as unknown };
  for (const [path, value] of changes) {
    let parent: Record<string | number, unknown> = root;
    let step: string | number = 'data';
    for (const next of path) {
      parent[step] = copied(parent[step]);
      parent = parent[step] as typeof parent;
      step = next;
    }
    parent[step] = value;
  }
  return root.data as T;
}

/** Writes a path as errors name it: `on_success[0].url`. */
export function pathText(path: ValuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
