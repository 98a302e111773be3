/** The address of a page as it may be followed: http and https only, so that nothing runs. */
export function pageAddress(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** An address to write to, without the fields that could be smuggled in behind it. */
export function mailAddress(given: string): string | null {
  if (!/^[^\s@]+@[^\s@]+$/.test(given) || !given.isWellFormed()) return null;
  return `mailto:${encodeURIComponent(given).replaceAll('%40', '@')}`;
}

/** Where a picture may come from: its own data, or a server that is reached by https. */
export function pictureSource(given: unknown): 'data:' | 'https:' | null {
  if (typeof given !== 'string') return null;
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/i.test(given)) return 'data:';
  return URL.canParse(given) && new URL(given).protocol === 'https:' ? 'https:' : null;
}
