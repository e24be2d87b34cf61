;;; Torchferry in Emacs, with eglot (part of Emacs 29; on GNU ELPA before that).
;;; It needs `torchferry' on the path.  Eglot runs one server per mode: this makes it Torchferry.

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((python-mode python-ts-mode)
                 . ("torchferry" "lsp" :initializationOptions (:target "paddle")))))

(add-hook 'python-mode-hook #'eglot-ensure)
(add-hook 'python-ts-mode-hook #'eglot-ensure)
