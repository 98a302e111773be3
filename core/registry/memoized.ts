/** Wraps a function so that it computes its result once for each object, as long as that object lives. */
export function memoized<K extends object, V extends {}>(compute: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, V>();
  return (key) => {
    let result = results.get(key);
    if (result === undefined) {
      result = compute(key);
      results.set(key, result);
    }
    return result;
  };
}
