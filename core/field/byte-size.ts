const units = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const;

/** Writes a size with the largest unit that divides it: `10 MiB`, `1000 bytes`. */
export function formatSize(bytes: number): string {
  const [unit, size] = units.find(([, each]) => bytes > 0 && bytes % each === 0) ?? ['bytes', 1];
  return `${bytes / size} ${unit}`;
}
