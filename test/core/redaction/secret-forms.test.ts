import { mask } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { redact } from '#core/redaction/redactor';
import { maxEncodedBytes } from '#core/redaction/secret-forms';
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
    it(`find a secret ${name}`, () => {
      const shown = redact(`it is ${encoded}.`, [secret]);
      expect(shown).to.match(new RegExp(`^it is "?${mask}.?.?"?=*[.]$`));
    });

  it('find a secret in base64 wherever it begins in the encoded data, but for the characters that it shares', () => {
    const bytes = fc.uint8Array({ maxLength: 8 });
    const text = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 });
    fc.assert(
      fc.property(bytes, text, bytes, fc.constantFrom('base64' as const, 'base64url' as const), (...given) => {
        const [before, hidden, after, alphabet] = given;
        fc.pre(hidden.trim() !== '');
        const whole = Buffer.concat([before, Buffer.from(hidden), after]).toString(alphabet);
        const [from, to] = [before.length, before.length + Buffer.byteLength(hidden)];
        const head = whole.slice(0, Math.ceil((from * 8) / 6));
        const tail = whole.slice(Math.floor((to * 8) / 6));
        expect(redact(whole, [hidden])).to.equal(head + mask + tail);
      }),
    );
  });

  it('find a secret of fewer than six characters only as it is', () => {
    expect(allForms(['é&234'])).to.deep.equal(['Ã©&234']);
    expect(allForms(['é&2345']).length).to.be.greaterThan(5);
  });

  it('include the encoded forms of long secrets only up to a limit, the shortest first', () => {
    const long = Array.from({ length: 200_000 }, (_, index) => String.fromCharCode(33 + ((index * 7) % 90))).join('');
    const forms = allForms([long, 's3cret']);
    const size = forms.reduce((sum, { length }) => sum + length, 0);
    expect(size).to.be.lessThan(maxEncodedBytes + long.length + 10);
    expect(forms).to.include(long).and.include(Buffer.from('s3cret').toString('hex'));
    const certificate = 'x'.repeat(32 * 1024);
    expect(allForms([certificate])).to.include(Buffer.from(certificate).toString('hex'));
  });
});
