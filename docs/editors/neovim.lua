-- Torchferry in Neovim, with its built-in client. Put this into your init.lua, or load it from there:
--   dofile('/path/to/neovim.lua')
-- It needs `torchferry` on the path, or $TORCHFERRY_PYTHON naming a Python that has the package.

local python = vim.env.TORCHFERRY_PYTHON

local function root_of(buffer)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h')
  for _, marker in ipairs({ 'pyproject.toml', '.git' }) do
    local found = vim.fn.findfile(marker, folder .. ';')
    if found == '' then
      found = vim.fn.finddir(marker, folder .. ';')
    end
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h')
    end
  end
  return folder
end

local function settings(buffer)
  return {
    name = 'torchferry',
    cmd = python and { python, '-P', '-m', 'lsp_server' } or { 'torchferry', 'lsp' },
    root_dir = root_of(buffer),
    init_options = { target = 'paddle', inlayHints = false },
  }
end

-- Neovim before 0.8 starts and attaches in two steps, and does not share servers by itself.
local started = {}

local function attach(buffer)
  if vim.lsp.start then
    vim.lsp.start(settings(buffer), { bufnr = buffer })
    return
  end
  local root = root_of(buffer)
  started[root] = started[root] or vim.lsp.start_client(settings(buffer))
  vim.lsp.buf_attach_client(buffer, started[root])
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'python',
  callback = function(event)
    attach(event.buf)
  end,
})

-- `gra` chooses a fix, as newer versions of Neovim have it by themselves; `K` explains.
vim.keymap.set({ 'n', 'v' }, 'gra', vim.lsp.buf.code_action, { desc = 'Choose a fix' })
vim.keymap.set('n', 'K', vim.lsp.buf.hover, { desc = 'Explain what is here' })
