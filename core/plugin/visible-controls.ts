/** What may need a second look; most texts hold none of it. */
const suspicious = /[^\t\n\r -~\u00a0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd]/;

/**
 * Text with what is no character to read replaced: control characters by their pictures (␀, ␛), but for tabs and line
 * ends; those that have no picture, halves of characters and what is no character at all by �. For formats that cannot
 * hold them.
 */
export function visibleControls(text: string): string {
  if (!suspicious.test(text)) return text;
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, (character) =>
        character === '\u007f' ? '␡' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
      )
      .replace(/[\u0080-\u009f\p{Noncharacter_Code_Point}]/gu, '�')
      .toWellFormed()
  );
}
