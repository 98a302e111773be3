/** Returns the link to a page; null for schemes other than http and https, which could run scripts. */
export function pageAddress(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Returns the mailto link to an email address, encoded so that it cannot add recipients or other fields. */
export function mailAddress(value: string): string | null {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || !value.isWellFormed()) return null;
  return `mailto:${encodeURIComponent(value).replaceAll('%40', '@')}`;
}

/** Returns the source of a picture for the content security policy; null for a picture that must not be shown. */
export function pictureSource(value: unknown): 'data:' | 'https:' | null {
  if (typeof value !== 'string') return null;
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/i.test(value)) return 'data:';
  return URL.canParse(value) && new URL(value).protocol === 'https:' ? 'https:' : null;
}
