import { mask } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { maxFurther } from '#core/redaction/forms';
import { redact } from '#core/redaction/redactor';
import { allForms } from '../../support/redaction/all-forms.ts';

const secret = 'pä/ss "w<o+rd>\n🔑?&~!';
const spelled = (text: string, find: RegExp, by: (hex: string) => string) =>
  text.replace(find, (unit) => by(unit.charCodeAt(0).toString(16).padStart(4, '0')));

const encodings: Readonly<Record<string, string>> = {
  'as JSON': JSON.stringify(secret),
  'as JSON in ASCII': spelled(JSON.stringify(secret), /[^\0-\x7f]/g, (hex) => `\\u${hex}`),
  'as JSON with escaped slashes': JSON.stringify(secret).replaceAll('/', '\\/'),
  'as JSON for HTML': spelled(JSON.stringify(secret), /[<>&]/g, (hex) => `\\u${hex}`),
  'as a component of a URL': encodeURIComponent(secret),
  'as a component of a URL in lower case': encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
  'as a field of a form, with ~ as it is': encodeURIComponent(secret).replaceAll('%20', '+').replace('!', '%21'),
  'in hex': Buffer.from(secret).toString('hex'),
  'in upper-case hex': Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': Buffer.from(secret).toString('base64'),
  'in URL-safe base64': Buffer.from(secret).toString('base64url'),
};

describe('searchedForms', () => {
  for (const [name, encoded] of Object.entries(encodings))
    it(`find a secret ${name}`, async () => {
      const shown = await redact(`it is ${encoded}.`, [secret]);
      expect(shown).to.match(new RegExp(`^it is "?${mask}.?.?"?=*[.]$`));
    });

  it('find a secret in base64 wherever it begins in the encoded data, but for the characters that it shares', async () => {
    const bytes = fc.uint8Array({ maxLength: 8 });
    const text = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        bytes,
        text,
        bytes,
        fc.constantFrom('base64' as const, 'base64url' as const),
        async (...given) => {
          const [before, hidden, after, alphabet] = given;
          fc.pre(hidden.trim() !== '');
          const whole = Buffer.concat([before, Buffer.from(hidden), after]).toString(alphabet);
          const [from, to] = [before.length, before.length + Buffer.byteLength(hidden)];
          const head = whole.slice(0, Math.ceil((from * 8) / 6));
          const tail = whole.slice(Math.floor((to * 8) / 6));
          expect(await redact(whole, [hidden])).to.equal(head + mask + tail);
        },
      ),
    );
  });

  it('find a secret of fewer than six characters only as it is', () => {
    expect(allForms(['é&234'])).to.deep.equal(['Ã©&234']);
    expect(allForms(['é&2345']).length).to.be.greaterThan(5);
  });

  it('have at most 23 bytes for each byte of a secret, and the less usual spellings a mebibyte besides', () => {
    const most = 64 * 1024;
    const secrets = ['é/ <!\u0001', '\u0001', '<', 'é', '🔑', 'x', '\n'].map((unit) =>
      unit.repeat(most / Buffer.byteLength(unit)),
    );
    for (const secret of secrets) {
      const size = allForms([secret]).reduce((sum, { length }) => sum + length, 0);
      expect(size).to.be.at.most(23 * most + maxFurther);
    }
  });

  it('include the usual ones of all secrets before less usual spellings of any', () => {
    const hostile = 'é/ <!\u0001'.repeat(9_000);
    const other = 'pä/ss "w<o+rd>';
    const forms = allForms([hostile, other]);
    const usual = [
      Buffer.from(other).toString('latin1'),
      encodeURIComponent(other),
      Buffer.from(other).toString('hex'),
    ];
    expect(forms).to.include.members(usual);
    expect(forms).not.to.include(encodeURIComponent(other).toLowerCase());
  });
});
