import { Calendar, Company, type TableDescription } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { RecordNames } from '#core/configuration/record-names';
import { newRow } from '#core/store/table';

const codes = ['acme', 'beta', 'cz', 'a/b', 'acme/cz', '/cz', '7', ''];

/** A calendar of company 1 or 2, or of all, with a code that is like those of companies and of others. */
const calendar = fc.record({
  company_id: fc.constantFrom(null, 1, 2),
  code: fc.constantFrom(null, ...codes),
  name: fc.constantFrom(...codes),
});

describe('The names of records', () => {
  it('mean the record that they were found for, and no other', () => {
    fc.assert(
      fc.property(
        fc.array(calendar, { maxLength: 8 }),
        fc.constantFrom(undefined, null, 1, 2),
        (calendars, company) => {
          const names = new RecordNames([Company, Calendar]);
          for (const [index, code] of ['acme', 'beta'].entries())
            names.put(Company, { ...newRow(Company as TableDescription, { code, name: code }), id: index + 1 });
          for (const [index, fields] of calendars.entries())
            names.put(Calendar, { ...newRow(Calendar as TableDescription, fields), id: index + 1 });
          for (const [index] of calendars.entries()) {
            const id = index + 1;
            const name = names.nameOf(Calendar.name, id, company);
            if (typeof name === 'string') expect(names.resolve(Calendar.name, name, company)).to.deep.equal([id]);
            else expect(name).to.equal(id);
          }
        },
      ),
    );
  });

  it('find no record that was removed, nor one by its former name', () => {
    const names = new RecordNames([Company]);
    const put = (code: string) =>
      names.put(Company, { ...newRow(Company as TableDescription, { code, name: 'Acme' }), id: 1 });
    put('acme');
    put('beta');
    expect(names.resolve(Company.name, 'acme', undefined)).to.deep.equal([]);
    expect(names.resolve(Company.name, 'beta', undefined)).to.deep.equal([1]);
    names.remove(Company, 1);
    expect(names.resolve(Company.name, 'Acme', undefined)).to.deep.equal([]);
    expect(names.nameOf(Company.name, 1, undefined)).to.equal(1);
  });
});
