import { expect } from 'chai';
import { type Cast, openCast } from './cast.ts';
import { attackerOf, listedParts, listItems, tableRows } from './document.ts';
import type { Proofs } from './promise.ts';
import { reach } from './reach.ts';
import { separation } from './separation.ts';
import { trust } from './trust.ts';

describe('SECURITY.md', () => {
  let cast: Cast | undefined;

  before(async () => {
    cast = await openCast();
  });
  after(() => cast?.[Symbol.asyncDispose]());

  /** Defines a test for each phrase of a cell that is proved. */
  const proveCell = (of: string, cell: string, proofs: Proofs) => {
    for (const [phrase, prove] of Object.entries(proofs))
      it(`${of}: ${phrase}`, async () => {
        expect(cell, 'the cell of the document').to.contain(phrase);
        expect(await prove(cast as Cast)).to.equal(null);
      });
  };

  describe('Who is trusted with what', () => {
    const rows = tableRows('Who is trusted with what');

    for (const [who = '', may = '', mayNot = ''] of rows) {
      proveCell(`${who}, trusted with`, may, trust[who]?.may ?? {});
      proveCell(`${who}, not trusted with`, mayNot, trust[who]?.mayNot ?? {});
    }
  });

  describe('What separates companies', () => {
    for (const [what = '', records = '', processes = '', resources = ''] of listedParts('What separates companies')) {
      proveCell(`${what}, records`, records, separation[what]?.records ?? {});
      proveCell(`${what}, processes`, processes, separation[what]?.processes ?? {});
      proveCell(`${what}, resources`, resources, separation[what]?.resources ?? {});
    }
  });

  describe('What an attacker can do at most', () => {
    const items = listItems('What an attacker can do at most');
    for (const item of items) proveCell(attackerOf(item), item, reach[attackerOf(item)] ?? {});
  });
});
