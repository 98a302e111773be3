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

/** Copies data with another value at a path that exists in it. */
export function withValueAt<T>(data: T, path: ValuePath, value: unknown): T {
  const [step, ...rest] = path;
  if (step === undefined) return value as T;
  const inner = withValueAt((data as Record<string | number, unknown>)[step], rest, value);
  if (Array.isArray(data)) return data.with(step as number, inner) as T;
  return { ...data, [step]: inner };
}

/** Writes a path as errors name it: `on_success[0].url`. */
export function pathText(path: ValuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
