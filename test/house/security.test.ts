import { expect } from 'chai';
import { allAttacks } from '../attack/all-attacks.ts';
import { attackerOf, listedParts, listItems, tableRows } from '../attack/matrix/document.ts';
import { reach } from '../attack/matrix/reach.ts';
import { separation } from '../attack/matrix/separation.ts';
import { trust } from '../attack/matrix/trust.ts';

describe('SECURITY.md', () => {
  it('says whom it trusts with what in rows that are proved', () => {
    expect(tableRows('Who is trusted with what').map(([name]) => name)).to.deep.equal(Object.keys(trust));
  });

  it('says what separates companies in parts that are proved', () => {
    expect(listedParts('What separates companies').map(([name]) => name)).to.deep.equal(Object.keys(separation));
  });

  it('says what attackers can do at most, each of whom is tried', () => {
    expect(listItems('What an attacker can do at most').map(attackerOf)).to.deep.equal(Object.keys(reach));
  });

  it('makes the claims that are attacked', () => {
    const claims = listItems('What is tried').map((item) => item.replace(/\.$/, ''));
    expect(claims).to.deep.equal(allAttacks.map(({ claim }) => claim));
  });
});
