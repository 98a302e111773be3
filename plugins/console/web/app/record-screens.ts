export { Manage, ManageRecords } from '../manage/manage.tsx';
export { OneTemplate } from '../templates/one-template.tsx';
export { TemplateForm } from '../templates/template-form.tsx';
export { Templates } from '../templates/templates.tsx';
