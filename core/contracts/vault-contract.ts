import { HorariumError } from '../errors.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import type { Vault } from '../secret/vault.ts';
import { assertEqual, assertIs } from './assertions.ts';
import { assert, type Clause, clausesOf } from './clause.ts';

/** Creates a vault with the keys of those names, newest first. */
export type MakeVault = (...keys: [string, ...string[]]) => Vault;

/** Texts in which encodings may differ. */
const texts = ['', 'plain words', ' \n\t\0', "ž😀 \u{10ffff} e\u0301 'x'", '$1%s{{x}}', 'x'.repeat(100_000)];

/** The contract of every vault. */
export function vaultContract(make: MakeVault): readonly Clause[] {
  return clausesOf({
    async 'decrypts what it encrypted, whatever the text'() {
      const vault = make('a');
      for (const plain of texts) for (const context of texts) assertDecrypts(vault, plain, context);
    },

    async 'marks its ciphertexts, and never encrypts a text the same way twice'() {
      const vault = make('a');
      const [one, other] = [vault.encrypt('secret', 'c'), vault.encrypt('secret', 'c')];
      assertIs(isCiphertext(one), true);
      assert(one !== other, 'Two ciphertexts of one text must differ', one);
      assert(!one.includes('secret'), 'A ciphertext must not contain the text', one);
    },

    async 'rejects a ciphertext under another context'() {
      const vault = make('a');
      const message = unavailable(() => vault.decrypt(vault.encrypt('plain words', 'Credential 1'), 'Credential 2'));
      assertIs(typeof message, 'string', 'The message');
      assert(!message?.includes('plain words'), 'The message must not contain the text', message);
    },

    async 'rejects a ciphertext in which any character was changed'() {
      const vault = make('a');
      const ciphertext = vault.encrypt('plain words', 'c');
      for (let at = 0; at < ciphertext.length; at++) {
        const changed = `${ciphertext.slice(0, at)}${ciphertext[at] === 'A' ? 'B' : 'A'}${ciphertext.slice(at + 1)}`;
        let opened: string | undefined;
        const message = unavailable(() => {
          opened = vault.decrypt(changed, 'c');
        });
        // The last character of base64 may hold bits that mean nothing.
        if (at < ciphertext.length - 1 || opened === undefined) assertIs(typeof message, 'string', changed);
        else assertIs(opened, 'plain words');
      }
    },

    async 'decrypts with older keys, and encrypts with the newest'() {
      const ciphertext = make('old').encrypt('x', 'c');
      const both = make('new', 'old');
      assertIs(both.decrypt(ciphertext, 'c'), 'x');
      assertIs(make('new').decrypt(both.encrypt('x', 'c'), 'c'), 'x');
      assertIs(typeof unavailable(() => make('new').decrypt(ciphertext, 'c')), 'string', 'The message');
    },

    async 'identifies its keys by their fingerprints'() {
      assertIs(make('a').fingerprint, make('a', 'b').fingerprint);
      assert(make('a').fingerprint !== make('b').fingerprint, 'Two keys must have different fingerprints');
      assertEqual(make('b', 'a').fingerprints, [make('b').fingerprint, make('a').fingerprint]);
    },

    async 'tells which key a text was encrypted with, also when it lacks that key'() {
      const ciphertext = make('old').encrypt('x', 'c');
      for (const vault of [make('old'), make('new', 'old'), make('new')]) {
        const key = vault.keyOf(ciphertext);
        assert(make('old').fingerprint.startsWith(key), 'keyOf() must begin the fingerprint of the key', key);
        assert(key.length >= 8, 'keyOf() must have 8 characters at least', key);
      }
      assertIs(make('new').fingerprint.startsWith(make('new').keyOf(ciphertext)), false);
    },

    async 'derives one signing key for each purpose, which a newer vault key does not change'() {
      const key = make('a').signingKey('audit');
      assertIs(atob(key).length, 32, 'The bytes of a signing key');
      assertIs(make('b', 'a').signingKey('audit'), key);
      assert(make('a').signingKey('other') !== key, 'Two purposes must have different signing keys');
      assert(make('b').signingKey('audit') !== key, 'Two vault keys must have different signing keys');
    },

    async 'signs with HMAC-SHA256'() {
      // RFC 4231, test case 2.
      assertIs(
        make('a').hmac(btoa('Jefe'))('what do ya want for nothing?'),
        '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
      );
    },
  });
}

/** Asserts that a vault decrypts a text that it encrypted, for a generator of texts. @throws Error where it does not. */
export function assertDecrypts(vault: Vault, plain: string, context: string): void {
  assertIs(vault.decrypt(vault.encrypt(plain, context), context), plain);
}

/** Returns the message of the error `unavailable` that a call throws; undefined where it throws none. */
function unavailable(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    assert(error instanceof HorariumError, 'An error of a vault must be a HorariumError', String(error));
    return error.code === 'unavailable' ? error.message : undefined;
  }
  return undefined;
}
