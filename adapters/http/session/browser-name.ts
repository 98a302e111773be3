/** Browsers by what only they write in `User-Agent`; those that others are made from, whose words these write too, come last. */
const browsers: readonly (readonly [word: RegExp, name: string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [word: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Names a browser for people: `Firefox on Linux`. It consists of known words only, because a caller may write anything into
 * the header.
 */
export function browserName(userAgent: string | undefined): string {
  const nameOf = (names: typeof browsers) => names.find(([word]) => word.test(userAgent ?? ''))?.[1];
  const system = nameOf(systems);
  return `${nameOf(browsers) ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
