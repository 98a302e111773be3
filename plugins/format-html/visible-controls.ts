/** Matches characters that may have to be replaced; most texts contain none. */
const suspicious = /[^\t\n\r -~\u00a0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd]/;

/**
 * Replaces characters that HTML cannot represent. Control characters, except tabs and line ends, become their pictures
 * (␀, ␛); those without a picture, lone surrogates and noncharacters become �.
 */
export function visibleControls(text: string): string {
  if (!suspicious.test(text)) return text;
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, (character) =>
        character === '\u007f' ? '␡' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
      )
      .replace(/[\u0080-\u009f\p{Noncharacter_Code_Point}]/gu, '�')
      .toWellFormed()
  );
}
